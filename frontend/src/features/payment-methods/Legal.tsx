import { useQuery } from '@tanstack/react-query';

import { siteOptions } from '@/lib/api/queries';
import { LegalLinks } from '@/ui/LegalLinks';

/** What one agrees to by a payment. */
export function Legal() {
  const { data: site } = useQuery(siteOptions);
  if (!site) return null;
  return <LegalLinks termsUrl={site.brand.termsUrl} privacyUrl={site.brand.privacyUrl} />;
}
