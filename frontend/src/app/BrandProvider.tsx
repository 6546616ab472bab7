import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useLayoutEffect } from 'react';

import { siteOptions } from '@/lib/api/queries';
import { applyBrandColors } from '@/lib/brand';
import { SiteNameContext } from '@/ui/PageHeading';

/** Colours the app and names its window for the brand of this host. */
export function BrandProvider({ children }: { children: ReactNode }) {
  const { data: site } = useQuery(siteOptions);
  const colors = site?.brand.colors;
  useLayoutEffect(() => {
    if (colors) applyBrandColors(colors);
  }, [colors]);
  return <SiteNameContext value={site?.brand.name ?? ''}>{children}</SiteNameContext>;
}
