const ART_PATH = '/static/portal/art';
const PICTURED_CODES = ['faith-family', 'gospel-TV', 'kids'];

/** The URL of a streaming service's square picture by its family code; null if it has none. */
export function servicePictureUrl(code: string): string | null {
  const known = PICTURED_CODES.find(
    (picturedCode) => picturedCode.toLowerCase() === code.toLowerCase(),
  );
  return known ? `${ART_PATH}/services/${known}.svg` : null;
}
