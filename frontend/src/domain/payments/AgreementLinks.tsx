import { useQuery } from '@tanstack/react-query';

import { siteOptions } from '@/lib/api/queries';
import { LegalLinks } from '@/ui/navigation/LegalLinks';

/** The brand’s terms and privacy policy, on every form that signs up, charges or redeems. */
export function AgreementLinks() {
  const { data: site } = useQuery(siteOptions);
  if (!site) return null;
  return <LegalLinks termsUrl={site.brand.termsUrl} privacyUrl={site.brand.privacyUrl} />;
}
