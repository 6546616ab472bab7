// Runs Lighthouse on a page several times with an empty cache, and prints the scores by category as JSON, with the speed
// that Lighthouse measured of the machine.
// node lighthouse.mjs FOLDER CHROMIUM ROUNDS phone|desktop ADDRESS [TOKEN]
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, chromium, rounds, form, address, token] = process.argv.slice(2);
// Lighthouse is installed outside the project.
const { resolve } = createRequire(path.join(folder, 'package.json'));
const [{ default: lighthouse, desktopConfig }, { default: puppeteer }] = await Promise.all(
  ['lighthouse', 'puppeteer-core'].map((name) => import(pathToFileURL(resolve(name)).href)),
);
const CATEGORIES = ['performance', 'accessibility', 'best-practices'];
const config = form === 'desktop' ? desktopConfig : { extends: 'lighthouse:default' };

async function measureScores() {
  const browser = await puppeteer.launch({
    executablePath: chromium,
    args: [
      '--no-sandbox',
      '--headless=new',
      // The proxy's name leads to this machine, and no authority has signed its certificate.
      `--host-resolver-rules=MAP ${new URL(address).hostname} 127.0.0.1`,
      '--ignore-certificate-errors',
    ],
  });
  try {
    const page = await browser.newPage();
    if (token) {
      // A page of the same origin without scripts, to store the token.
      await page.goto(new URL('/robots.txt', address).href);
      await page.evaluate((value) => localStorage.setItem('token', value), token);
    }
    const settings = {
      ...config.settings,
      onlyCategories: CATEGORIES,
      disableStorageReset: true,
    };
    const { lhr } = await lighthouse(address, { logLevel: 'error' }, { ...config, settings }, page);
    if (lhr.finalDisplayedUrl !== address)
      throw new Error(`${address} led to ${lhr.finalDisplayedUrl}`);
    const scores = CATEGORIES.map((category) => lhr.categories[category].score);
    // A failed audit leaves its category without a score, which says nothing about the page.
    if (scores.includes(null)) return null;
    return [...scores.map((score) => Math.round(score * 100)), lhr.environment.benchmarkIndex];
  } finally {
    await browser.close();
  }
}

const runs = [];
for (let attempts = 0; runs.length < Number(rounds); attempts += 1) {
  if (attempts > 2 * rounds) throw new Error(`Lighthouse could not score ${address}`);
  const scores = await measureScores();
  if (scores) runs.push(scores);
}
const byName = [...CATEGORIES, 'speed of the machine'].map((name, index) => [
  name,
  runs.map((scores) => scores[index]),
]);
process.stdout.write(JSON.stringify(Object.fromEntries(byName)));
