// Asks Lighthouse about one page, so many times with an empty cache, and prints the scores by category as JSON.
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
const CATEGORIES = ['performance', 'accessibility', 'best-practices'];
const config = form === 'desktop' ? desktopConfig : { extends: 'lighthouse:default' };

async function scores() {
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
      onlyCategories: CATEGORIES,
      disableStorageReset: true,
    };
    const { lhr } = await lighthouse(address, { logLevel: 'error' }, { ...config, settings }, page);
    if (lhr.finalDisplayedUrl !== address)
      throw new Error(`${address} led to ${lhr.finalDisplayedUrl}`);
    const told = CATEGORIES.map((category) => lhr.categories[category].score);
    // An audit that failed by itself leaves its category without a score: that says nothing of the page.
    return told.includes(null) ? null : told.map((score) => Math.round(score * 100));
  } finally {
    await browser.close();
  }
}

const seen = [];
for (let tries = 0; seen.length < Number(rounds); tries += 1) {
  if (tries > 2 * rounds) throw new Error(`Lighthouse could not judge ${address}`);
  const told = await scores();
  if (told) seen.push(told);
}
const byCategory = CATEGORIES.map((category, place) => [category, seen.map((of) => of[place])]);
process.stdout.write(JSON.stringify(Object.fromEntries(byCategory)));
