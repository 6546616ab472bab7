// Asks Lighthouse about one page, so many times with an empty cache, and prints its scores as JSON.
// node lighthouse.mjs FOLDER CHROMIUM ROUNDS phone|desktop ADDRESS [TOKEN]
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, chromium, rounds, form, address, token] = process.argv.slice(2);
// It is installed beside the project, not in it.
const { resolve } = createRequire(path.join(folder, 'package.json'));
const [{ default: lighthouse, desktopConfig }, { default: puppeteer }] = await Promise.all(
  ['lighthouse', 'puppeteer-core'].map((name) => import(pathToFileURL(resolve(name)).href)),
);
const config = form === 'desktop' ? desktopConfig : { extends: 'lighthouse:default' };

async function score() {
  const browser = await puppeteer.launch({
    executablePath: chromium,
    args: ['--no-sandbox', '--headless=new'],
  });
  try {
    const page = await browser.newPage();
    if (token) {
      // A page of the portal's own origin that runs nothing yet, for the token to be kept there.
      await page.goto(new URL('/healthz', address).href);
      await page.evaluate((kept) => localStorage.setItem('token', kept), token);
    }
    const settings = {
      ...config.settings,
      onlyCategories: ['performance'],
      disableStorageReset: true,
    };
    const { lhr } = await lighthouse(address, { logLevel: 'error' }, { ...config, settings }, page);
    if (lhr.finalDisplayedUrl !== address)
      throw new Error(`${address} led to ${lhr.finalDisplayedUrl}`);
    return Math.round(lhr.categories.performance.score * 100);
  } finally {
    await browser.close();
  }
}

const scores = [];
for (let round = 0; round < Number(rounds); round += 1) scores.push(await score());
process.stdout.write(JSON.stringify(scores));
