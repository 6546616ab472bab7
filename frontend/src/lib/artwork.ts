const ART = '/static/portal/art';
const PICTURED = ['faith-family', 'gospel-TV', 'kids'];

/** The square picture of a streaming service, by its family code; null for one that has none. */
export function serviceArt(code: string): string | null {
  const known = PICTURED.find((one) => one.toLowerCase() === code.toLowerCase());
  return known ? `${ART}/services/${known}.svg` : null;
}
