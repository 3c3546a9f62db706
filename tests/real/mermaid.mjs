// Reads a JSON list of Mermaid texts from stdin; answers with what Mermaid's own parser makes of each:
// { nodes: { id: label }, edges: [[from, to, label, stroke]], subgraphs: [label] } or { error }.
import { JSDOM } from 'jsdom';

const dom = new JSDOM('<!DOCTYPE html><body></body>');
globalThis.window = dom.window;
globalThis.document = dom.window.document;
const { default: mermaid } = await import('mermaid');

// Mermaid keeps character codes such as #35; in a form of its own until it renders.
const decoded = (text = '') =>
  text.replace(/ﬂ°°(\d+)¶ß/g, (_, code) => String.fromCodePoint(Number(code)));

const read = async (text) => {
  try {
    await mermaid.parse(text);
    const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
    const nodes = Object.fromEntries([...db.getVertices()].map(([id, node]) => [id, decoded(node.text)]));
    const edges = db.getEdges().map((edge) => [edge.start, edge.end, decoded(edge.text), edge.stroke]);
    const subgraphs = db.getSubGraphs().map((graph) => decoded(graph.title));
    return { nodes, edges, subgraphs };
  } catch (error) {
    return { error: error.message };
  }
};

let input = '';
for await (const chunk of process.stdin) input += chunk;
const answers = [];
for (const text of JSON.parse(input)) answers.push(await read(text));
process.stdout.write(JSON.stringify(answers));
