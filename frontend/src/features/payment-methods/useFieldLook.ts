import { useMemo } from 'react';

import { useMediaQuery } from '@/ui/useMediaQuery';

/** The look of our fields, for frames that cannot see our style sheet; it follows light and dark. */
export function useFieldLook() {
  const isDark = useMediaQuery('(prefers-color-scheme: dark)');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tokens are others in the dark.
  return useMemo(() => {
    const tokens = getComputedStyle(document.documentElement);
    const colour = (name: string) => tokens.getPropertyValue(`--color-${name}`).trim();
    return {
      base: {
        color: colour('text'),
        fontFamily: 'Figtree, system-ui, sans-serif',
        fontSize: '18px',
        lineHeight: '28px',
        padding: '10px 0',
        // The frame's place in the page shows the focus, as for every other field.
        ':focus': { outline: 'none' },
        '::placeholder': { color: colour('text-muted') },
      },
      invalid: { color: colour('danger') },
    };
  }, [isDark]);
}
