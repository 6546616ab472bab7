import type { Brand, BrandColors, BrandPalette } from '@/lib/api/types';

const ROLES: Record<keyof BrandPalette, string> = {
  primary: 'primary',
  onPrimary: 'on-primary',
  accent: 'accent',
  link: 'link',
};

/** Gives the tokens the brand's colours, light and dark; the device's preference picks between them. */
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

/** Where a subscriber asks for help; empty where operators left it empty or switched it off. */
export function contactUrl({ contactLinkEnabled, helpCentreUrl }: Brand): string {
  return contactLinkEnabled ? helpCentreUrl : '';
}
