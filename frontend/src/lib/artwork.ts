const ART = '/static/portal/art';
const PICTURED = ['faith-family', 'gospel-TV', 'kids'];

function pictured(code: string): string | undefined {
  return PICTURED.find((known) => known.toLowerCase() === code.toLowerCase());
}

/** The wide picture of a brand, by its code; null for a brand that has none. */
export function heroArt(code: string): string | null {
  const known = pictured(code);
  return known ? `${ART}/hero/${known}.svg` : null;
}

/** The square picture of a streaming service, by its family code; null for one that has none. */
export function serviceArt(code: string): string | null {
  const known = pictured(code);
  return known ? `${ART}/services/${known}.svg` : null;
}
