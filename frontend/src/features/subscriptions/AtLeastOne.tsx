import { useQuery } from '@tanstack/react-query';

import { siteOptions } from '@/lib/api/queries';
import { contactUrl } from '@/lib/brand';
import { LiveFieldError } from '@/ui/FieldError';
import { ExternalLink } from '@/ui/TextLink';

/** Says why the last box stays checked, and how else to leave. */
export function AtLeastOne({ refused }: { refused: boolean }) {
  const { data: site } = useQuery(siteOptions);
  const help = site ? contactUrl(site.brand) : '';
  return (
    <LiveFieldError>
      {refused && (
        <>
          <p>
            At least one subscription has to stay here. Leaving altogether is done by cancelling.
          </p>
          {help && (
            <ExternalLink href={help} newTab>
              Contact Customer Service
            </ExternalLink>
          )}
        </>
      )}
    </LiveFieldError>
  );
}
