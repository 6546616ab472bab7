import { useQuery } from '@tanstack/react-query';

import { siteOptions } from '@/lib/api/queries';
import { ButtonAnchor } from '@/ui/Button';
import { Card } from '@/ui/Card';
import styles from './Panels.module.css';

/** Instead of the button, where operators have switched it off: how else to cancel. */
export function OtherWay() {
  const { data: site } = useQuery(siteOptions);
  const helpCentre = site?.brand.helpCentreUrl;
  return (
    <Card as="section" labelledBy="cancel" className={styles.panel}>
      <h2 id="cancel">Cancel</h2>
      <p>
        You cannot cancel on this page at the moment. Please write to Customer Service: they cancel
        your subscription for you, and you do not have to give a reason.
      </p>
      {helpCentre && (
        <ButtonAnchor block href={helpCentre} newTab>
          Contact Customer Service
        </ButtonAnchor>
      )}
    </Card>
  );
}
