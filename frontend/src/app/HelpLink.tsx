import type { Site } from '@/lib/api/types';
import { contactUrl } from '@/lib/brand';
import { allowsSupportWidget } from '@/lib/documents';
import { ExternalLink } from '@/ui/TextLink';

/** A plain link to the help centre, wherever the support widget does not run. */
export function HelpLink({ site }: { site: Site }) {
  const url = contactUrl(site.brand);
  if (!url || (site.supportWidget && allowsSupportWidget())) return null;
  return (
    <ExternalLink href={url} newTab>
      Help
    </ExternalLink>
  );
}
