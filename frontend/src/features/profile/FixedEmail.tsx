import { useQuery } from '@tanstack/react-query';

import { siteOptions } from '@/lib/api/queries';
import { TextField } from '@/ui/forms/Field';
import { ExternalLink } from '@/ui/navigation/TextLink';
import styles from './ProfilePage.module.css';

/** The email address, which only customer service can change. */
export function FixedEmail({ email }: { email: string }) {
  return (
    <div className={styles.fixed}>
      <TextField
        label="Email"
        value={email}
        readOnly
        autoComplete="email"
        className={styles.readOnly}
      />
      <p className={styles.muted}>
        To update your email address, contact <CustomerService />
      </p>
    </div>
  );
}

/** A link if the brand has a help center. */
function CustomerService() {
  const { data: site } = useQuery(siteOptions);
  const address = site?.brand.helpCentreUrl;
  if (!address) return 'Customer Service';
  return (
    <ExternalLink href={address} newTab>
      Customer Service
    </ExternalLink>
  );
}
