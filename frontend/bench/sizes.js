import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import webpack from 'webpack';
import BundleTracker from 'webpack-bundle-tracker';
import config from '../../webpack.config.js';

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);
const KINDS = { '.js': 'js', '.css': 'css' };

/** The production build, at another place, and without the file by which Django would find it there. */
function elsewhere(folder, entry) {
  const built = config(undefined, { mode: 'production' });
  return {
    ...built,
    entry: { main: entry },
    output: { ...built.output, path: folder },
    plugins: built.plugins.filter((plugin) => !(plugin instanceof BundleTracker)),
    performance: { hints: false },
  };
}

async function build(folders) {
  const entries = ['./frontend/src/app/main.tsx', './frontend/bench/base.js'];
  const stats = await promisify(webpack)(entries.map((entry, at) => elsewhere(folders[at], entry)));
  if (stats.hasErrors()) {
    throw new Error(stats.toString('errors-only'));
  }
  return stats.stats.map((one) => one.compilation);
}

async function sizes(folder, files) {
  const total = { js: { raw: 0, gzip: 0, brotli: 0 }, css: { raw: 0, gzip: 0, brotli: 0 } };
  for (const file of files) {
    const kind = total[KINDS[path.extname(file)]];
    if (kind) {
      const content = await readFile(path.join(folder, file));
      kind.raw += content.length;
      kind.gzip += (await gzipped(content, { level: 9 })).length;
      kind.brotli += (await brotlied(content)).length;
    }
  }
  return total;
}

/** What is fetched when it is needed: the files by what was asked for, without those that every page has. */
function lazyParts(compilation) {
  const initial = new Set(compilation.entrypoints.get('main').getFiles());
  const parts = new Map();
  for (const group of compilation.chunkGroups) {
    for (const { request } of group.isInitial() ? [] : group.origins) {
      parts.set(
        request,
        group.getFiles().filter((file) => !initial.has(file)),
      );
    }
  }
  return parts;
}

const scratch = await mkdtemp(path.join(tmpdir(), 'portal-sizes-'));
try {
  const folders = ['app', 'base'].map((name) => path.join(scratch, name));
  const [app, base] = await build(folders);
  const measured = {
    base: await sizes(folders[1], base.entrypoints.get('main').getFiles()),
    initial: await sizes(folders[0], app.entrypoints.get('main').getFiles()),
    parts: {},
  };
  for (const [request, files] of lazyParts(app)) {
    measured.parts[request] = await sizes(folders[0], files);
  }
  process.stdout.write(JSON.stringify(measured));
} finally {
  await rm(scratch, { recursive: true });
}
