// Makes a page that renders every golden drawing in a browser (`page FOLDER MERMAID`), and checks what the page found
// (`check FOLDER DOM`): every Mermaid text gives a picture with all its labels, every SVG is shown in the size it says, and a
// broken text of each kind is refused, so that the check is able to fail.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , task, folder, file] = process.argv;
const named = (ending) => readdirSync(folder).filter((name) => name.endsWith(ending)).sort();
const text = (name) => readFileSync(join(folder, name), 'utf8');
const script = (data) => JSON.stringify(data).replaceAll('<', '\\u003c');

const page = () => {
  const mermaid = Object.fromEntries(named('.mmd').map((name) => [name, text(name)]));
  const svg = Object.fromEntries(named('.svg').map((name) => [name, pathToFileURL(join(folder, name)).href]));
  mermaid.broken = 'flowchart TD\n    a["a" --> b';
  svg.broken = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"><g></svg>';
  return `<!DOCTYPE html><meta charset="utf-8"><body><script src="${pathToFileURL(file).href}"></script><script>
const texts = ${script(mermaid)}, pictures = ${script(svg)};
const render = async () => {
  const found = { mermaid: {}, svg: {} };
  mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' });
  for (const [name, text] of Object.entries(texts)) {
    try {
      const { svg } = await mermaid.render('d' + Object.keys(found.mermaid).length, text);
      const read = new DOMParser().parseFromString(svg, 'text/html');
      found.mermaid[name] = { words: read.body.textContent, edges: read.querySelectorAll('path.flowchart-link').length };
    } catch (error) {
      found.mermaid[name] = { error: String(error.message) };
    }
  }
  for (const [name, url] of Object.entries(pictures)) {
    const image = new Image();
    image.src = url;
    found.svg[name] = await image.decode().then(
      () => ({ width: image.naturalWidth, height: image.naturalHeight }),
      (error) => ({ error: String(error) }),
    );
  }
  document.body.textContent = '';
  const out = document.createElement('pre');
  out.id = 'found';
  out.textContent = encodeURIComponent(JSON.stringify(found));
  document.body.append(out);
};
render();
</script>`;
};

const labels = (graph) =>
  graph.nodes.flatMap((node) => [node.name, ...(node.inner ? labels(node.inner) : [])])
    .concat(graph.edges.flatMap((edge) => (edge.label ? [edge.label] : [])));

const check = () => {
  const hit = /<pre id="found">([^<]*)<\/pre>/.exec(readFileSync(file, 'utf8'));
  if (!hit) throw new Error('the page did not finish');
  const found = JSON.parse(decodeURIComponent(hit[1]));
  const wrong = [];
  if (!found.mermaid.broken.error || !found.svg.broken.error) wrong.push('what is broken was accepted');
  for (const name of named('.mmd')) {
    const { words = '', edges, error } = found.mermaid[name];
    const graph = JSON.parse(text(name.replace(/mmd$/, 'json')));
    if (error) wrong.push(`${name}: ${error}`);
    for (const label of labels(graph)) if (!words.includes(label)) wrong.push(`${name}: no ${label}`);
    if (!(edges >= graph.edges.length)) wrong.push(`${name}: ${edges} edges`);
  }
  for (const name of named('.svg')) {
    const { width, height, error } = found.svg[name];
    const said = /width="([\d.]+)" height="([\d.]+)"/.exec(text(name));
    if (error || width !== Number(said[1]) || height !== Number(said[2])) wrong.push(`${name}: ${error ?? [width, height]}`);
  }
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  console.log(`${named('.mmd').length} Mermaid texts and ${named('.svg').length} SVGs are rendered by a browser`);
};

if (task === 'page') process.stdout.write(page());
else check();
