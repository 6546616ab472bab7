import styles from './LegalLinks.module.css';
import { ExternalLink } from './TextLink';

interface LegalLinksProps {
  /** Empty if the brand has no such page; then there is no link. */
  termsUrl: string;
  privacyUrl: string;
}

/** Links to terms and privacy policy, for every screen that charges or signs in. */
export function LegalLinks({ termsUrl, privacyUrl }: LegalLinksProps) {
  if (!termsUrl && !privacyUrl) return null;
  return (
    <p className={styles.legal}>
      {termsUrl && (
        <ExternalLink href={termsUrl} newTab>
          Terms of Service
        </ExternalLink>
      )}
      {privacyUrl && (
        <ExternalLink href={privacyUrl} newTab>
          Privacy Policy
        </ExternalLink>
      )}
    </p>
  );
}
