import type { Brand, BrandColors, BrandPalette } from '@/lib/api/types';

const ROLES: Record<keyof BrandPalette, string> = {
  primary: 'primary',
  onPrimary: 'on-primary',
  accent: 'accent',
  link: 'link',
};

/**
 * Sets the brand's light and dark colors as CSS custom properties. The color scheme of the device
 * selects between them.
 */
export function applyBrandColors(
  colors: BrandColors,
  element: HTMLElement = document.documentElement,
): void {
  for (const scheme of ['light', 'dark'] as const) {
    for (const [role, name] of Object.entries(ROLES)) {
      const value = colors[scheme]?.[role as keyof BrandPalette];
      if (value) element.style.setProperty(`--brand-${scheme}-${name}`, value);
    }
  }
}

/** The URL of customer service; empty if operators left it empty or switched it off. */
export function contactUrl({ contactLinkEnabled, helpCentreUrl }: Brand): string {
  return contactLinkEnabled ? helpCentreUrl : '';
}
