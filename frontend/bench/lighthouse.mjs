// Runs Lighthouse on a page several times with an empty cache, and prints the scores by category as JSON, with the speed
// that Lighthouse measured of the machine, and two figures in milliseconds that tell the page from the machine: how long
// tasks delayed input, and how long they would have if the page's process had never waited for a processor.
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
const FIGURES = ['speed of the machine', 'blocked', 'blocked by itself'];
// The longest task that Lighthouse takes to delay no input.
const UNNOTICED_MS = 50;
const config = form === 'desktop' ? desktopConfig : { extends: 'lighthouse:default' };

/**
 * The milliseconds by which the processor time of the page's tasks delays input, from its first script on.
 *
 * @param slowdown How many times slower Lighthouse takes the processor to be.
 */
function sumOwnDelays({ traceEvents }, slowdown) {
  const scripts = traceEvents.filter(
    ({ name, args }) =>
      name === 'EvaluateScript' && args.data?.url?.startsWith(new URL(address).origin),
  );
  const first = scripts.reduce((earliest, script) => (script.ts < earliest.ts ? script : earliest));
  const delays = traceEvents
    .filter(
      ({ name, pid, tid, ts, dur }) =>
        name === 'RunTask' && pid === first.pid && tid === first.tid && ts + dur >= first.ts,
    )
    .map(({ tdur }) => Math.max(0, (slowdown * tdur) / 1000 - UNNOTICED_MS));
  return Math.round(delays.reduce((sum, delay) => sum + delay, 0));
}

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
    const { lhr, artifacts } = await lighthouse(
      address,
      { logLevel: 'error' },
      { ...config, settings },
      page,
    );
    if (lhr.finalDisplayedUrl !== address)
      throw new Error(`${address} led to ${lhr.finalDisplayedUrl}`);
    const scores = CATEGORIES.map((category) => lhr.categories[category].score);
    // A failed audit leaves its category without a score, which says nothing about the page.
    if (scores.includes(null)) return null;
    return [
      ...scores.map((score) => Math.round(score * 100)),
      lhr.environment.benchmarkIndex,
      Math.round(lhr.audits['total-blocking-time'].numericValue),
      sumOwnDelays(artifacts.Trace, lhr.configSettings.throttling.cpuSlowdownMultiplier),
    ];
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
const byName = [...CATEGORIES, ...FIGURES].map((name, index) => [
  name,
  runs.map((scores) => scores[index]),
]);
process.stdout.write(JSON.stringify(Object.fromEntries(byName)));
