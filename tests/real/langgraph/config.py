# Loads the graph as `langgraph dev` does, which serves it over HTTP.
import importlib
import json
import pathlib

folder = pathlib.Path(__file__).parent
file, name = json.loads((folder / "langgraph.json").read_text())["graphs"]["greeter"].split(":")
graph = getattr(importlib.import_module(pathlib.Path(file).stem), name)
print(graph.invoke({"name": "Ada"})["text"])
