import { useMemo } from 'react';

import { useMediaQuery } from '@/ui/useMediaQuery';

/**
 * The text style of our fields for the provider's frames, which do not inherit our style sheet. The
 * provider drops everything else, such as padding and outline, and needs the font's size in pixels.
 * Follows light and dark mode.
 */
export function useHostedFieldStyles() {
  const isDark = useMediaQuery('(prefers-color-scheme: dark)');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tokens differ in dark mode.
  return useMemo(() => {
    const tokens = getComputedStyle(document.documentElement);
    const readToken = (name: string) => tokens.getPropertyValue(`--${name}`).trim();
    return {
      base: {
        color: readToken('color-text'),
        fontFamily: readToken('font-family-hosted'),
        // That of our fields, in the size that the subscriber has chosen for the browser.
        fontSize: getComputedStyle(document.body).fontSize,
        '::placeholder': { color: readToken('color-text-muted') },
      },
      invalid: { color: readToken('color-danger') },
    };
  }, [isDark]);
}
