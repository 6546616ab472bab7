import { useQuery } from '@tanstack/react-query';

import { siteOptions } from '@/lib/api/queries';
import { AlertIcon } from '@/ui/icons/icons';
import { ExternalLink } from '@/ui/TextLink';
import styles from './subscriptions.module.css';

/** Says why the last box stays checked, and how else to leave. */
export function AtLeastOne({ refused }: { refused: boolean }) {
  const { data: site } = useQuery(siteOptions);
  const help = site?.brand.contactLinkEnabled ? site.brand.helpCentreUrl : '';
  return (
    <div role="alert">
      {refused && (
        <div className={styles.refusal}>
          <AlertIcon />
          <div>
            <p>
              At least one subscription has to stay here. Leaving altogether is done by cancelling.
            </p>
            {help && (
              <ExternalLink href={help} newTab>
                Contact Customer Service
              </ExternalLink>
            )}
          </div>
        </div>
      )}
    </div>
  );
}
