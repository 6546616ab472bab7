import { useMemo } from 'react';

import { useMediaQuery } from '@/ui/useMediaQuery';

/**
 * The styles of our fields for the provider's frames, which do not inherit our style sheet. Follows
 * light and dark mode.
 */
export function useHostedFieldStyles() {
  const isDark = useMediaQuery('(prefers-color-scheme: dark)');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tokens differ in dark mode.
  return useMemo(() => {
    const tokens = getComputedStyle(document.documentElement);
    const readColor = (name: string) => tokens.getPropertyValue(`--color-${name}`).trim();
    return {
      base: {
        color: readColor('text'),
        fontFamily: 'Figtree, system-ui, sans-serif',
        fontSize: '18px',
        lineHeight: '28px',
        padding: '10px 0',
        // The container of the frame shows the focus, as every other field does.
        ':focus': { outline: 'none' },
        '::placeholder': { color: readColor('text-muted') },
      },
      invalid: { color: readColor('danger') },
    };
  }, [isDark]);
}
