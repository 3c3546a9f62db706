// Reads hostile documents with Asciidoctor (`asciidoc FOLDER`) and their diagrams with Mermaid's own parser (`mermaid FOLDER`): the
// structure must be that of harmless ones, and what was said must be shown. `page FOLDER MERMAID` makes a page that renders the diagrams
// in a browser, `rendered DOM` checks what that page found.
// FOLDER is what the ignored test `hostile_documents_are_laid_out_for_real_readers` writes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { JSDOM } from 'jsdom';

const [, , task, folder, file] = process.argv;
const oneLine = (text) => text.split(/[\s\u0000-\u001f\u007f-\u009f]+/u).filter(Boolean).join(' ');
const cases = () => readdirSync(folder).sort().map((name) => ({ path: join(folder, name), said: oneLine(readFileSync(join(folder, name, 'text'), 'utf8')) }));
const diagrams = () =>
  cases().flatMap(({ path, said }) =>
    ['architecture.mmd', 'flow_f.mmd'].map((name) => ({ name, said, text: readFileSync(join(path, 'hostile/md/diagrams', name), 'utf8') })));
const done = (wrong, seen, what) => {
  if (wrong.length > 0 || seen === 0) throw new Error(wrong.join('\n') || 'there is nothing to read');
  console.log(`${seen} ${what}`);
};

// Code spans of prose stay code, so they are no structure.
const skeleton = (body) =>
  [...body.querySelectorAll(':not(code)')].map((node) => `${node.tagName}.${node.className} ${node.tagName === 'A' ? node.getAttribute('href') : ''}`);

const asciidoc = async () => {
  const { default: asciidoctor } = await import('asciidoctor');
  const reader = asciidoctor();
  const options = { safe: 'safe', base_dir: '/', standalone: false, attributes: { showtitle: '' } };
  const read = (text) => new JSDOM(reader.convert(text, options)).window.document.body;
  const wrong = [];
  let seen = 0;
  for (const { path, said } of cases()) {
    const pages = readdirSync(join(path, 'hostile/adoc'), { recursive: true, encoding: 'utf8' });
    for (const page of pages.filter((name) => name.endsWith('.adoc'))) {
      seen += 1;
      const [hostile, harmless] = ['hostile', 'harmless'].map((kind) => read(readFileSync(join(path, kind, 'adoc', page), 'utf8')));
      if (`${skeleton(hostile)}` !== `${skeleton(harmless)}`) wrong.push(`${page} of ${said} has another structure`);
      const shown = oneLine(hostile.textContent).split(said).length - 1;
      if (page === 'components/a.adoc' && (oneLine(hostile.querySelector('h1').textContent) !== said || shown < 10)) {
        wrong.push(`${page} does not show ${said}`);
      }
    }
  }
  if (`${skeleton(read('= T\n\nx'))}` === `${skeleton(read('= T\n\n* x'))}`) wrong.push('a list is a structure');
  done(wrong, seen, 'documents are read by Asciidoctor as they were meant');
};

const mermaid = async () => {
  const dom = new JSDOM('<!DOCTYPE html><body></body>');
  Object.assign(globalThis, { window: dom.window, document: dom.window.document });
  const { default: reader } = await import('mermaid');
  // Mermaid keeps character codes such as #35; in a form of its own until it renders.
  const decoded = (text) => String(text ?? '').replace(/ﬂ°°(\d+)¶ß/g, (_, code) => String.fromCodePoint(Number(code)));
  const labels = async (text) => {
    await reader.parse(text);
    const { db } = await reader.mermaidAPI.getDiagramFromText(text);
    if (db.getVertices) return [...db.getVertices().values()].map((node) => decoded(node.text));
    const actors = [...db.getActors().values()].map((actor) => decoded(actor.description));
    return actors.concat(db.getMessages().map((message) => decoded(message.message)));
  };
  const wrong = [];
  const texts = diagrams();
  for (const { name, said, text } of texts) {
    const found = await labels(text).catch((error) => [String(error.message)]);
    const times = found.filter((label) => oneLine(label) === said).length;
    if (times < (name === 'architecture.mmd' ? 1 : 3)) wrong.push(`${name} of ${said}: ${found}`);
  }
  if (await labels('flowchart LR\n    c0["a" --> b').then(() => true, () => false)) wrong.push('what is broken was accepted');
  done(wrong, texts.length, 'diagrams are read by Mermaid as they were meant');
};

const page = () => {
  const texts = diagrams().map(({ text }) => text).concat('flowchart LR\n    c0["a" --> b');
  const data = JSON.stringify(texts).replaceAll('<', '\\u003c');
  console.log(`<!DOCTYPE html><meta charset="utf-8"><body><script src="${pathToFileURL(file).href}"></script><script>
const render = async () => {
  mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' });
  const errors = [];
  for (const [at, text] of ${data}.entries()) {
    await mermaid.render('d' + at, text).then(() => errors.push(null), (error) => errors.push(String(error.message)));
  }
  const out = document.createElement('pre');
  out.id = 'found';
  out.textContent = encodeURIComponent(JSON.stringify(errors));
  document.body.textContent = '';
  document.body.append(out);
};
render();
</script>`);
};

const rendered = () => {
  const hit = /<pre id="found">([^<]*)<\/pre>/.exec(readFileSync(folder, 'utf8'));
  if (!hit) throw new Error('the page did not finish');
  const errors = JSON.parse(decodeURIComponent(hit[1]));
  const wrong = errors.slice(0, -1).filter(Boolean);
  if (!errors.at(-1)) wrong.push('what is broken was accepted');
  done(wrong, errors.length - 1, 'diagrams are rendered by a browser');
};

await { asciidoc, mermaid, page, rendered }[task]();
