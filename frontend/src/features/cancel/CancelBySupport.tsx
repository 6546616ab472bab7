import { useQuery } from '@tanstack/react-query';

import { siteOptions } from '@/lib/api/queries';
import { ButtonAnchor } from '@/ui/buttons/Button';
import { Card } from '@/ui/layout/Card';
import styles from './Panels.module.css';

/**
 * Shown if operators have switched off the cancel button: how to cancel through customer service.
 */
export function CancelBySupport() {
  const { data: site } = useQuery(siteOptions);
  const helpCentre = site?.brand.helpCentreUrl;
  return (
    <Card as="section" labelledBy="cancel" className={styles.panel}>
      <h2 id="cancel">Cancel</h2>
      <p>
        You can’t cancel online right now. Contact Customer Service and they’ll cancel for you. You
        don’t have to give a reason.
      </p>
      {helpCentre && (
        <ButtonAnchor block href={helpCentre} newTab>
          Contact Customer Service
        </ButtonAnchor>
      )}
    </Card>
  );
}
