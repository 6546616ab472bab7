import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { siteOptions } from '@/lib/api/queries';
import type { OfferedPlan } from '@/lib/api/types';
import { formatInlinePrice, formatPrice } from '@/lib/formats';
import { Card } from '@/ui/layout/Card';
import styles from './ServiceCards.module.css';
import { ServicePicture } from './ServicePicture';
import { servicePictureUrl } from './servicePictures';

interface ServiceCardsProps {
  offered: readonly OfferedPlan[];
  /** Returns the control that starts or selects a plan. */
  renderAction: (plan: OfferedPlan) => ReactNode;
}

/** The codes of a service differ in case between the catalog and the site. */
function isSameService(code: string, other: string): boolean {
  return code.toLowerCase() === other.toLowerCase();
}

/**
 * The services that can be started, each with what it is, what it costs, and a way to start it. The
 * brand's own comes first: a brand has the code of its service.
 */
export function ServiceCards({ offered, renderAction }: ServiceCardsProps) {
  const { data: site } = useQuery(siteOptions);
  const findSummary = ({ service }: OfferedPlan) =>
    site?.services.find(({ id }) => isSameService(id, service))?.summary;
  const isOwn = ({ service }: OfferedPlan) => isSameService(service, site?.brand.code ?? '');
  return (
    <ul aria-label="Services you can start" className={styles.services}>
      {[...offered.filter(isOwn), ...offered.filter((plan) => !isOwn(plan))].map((plan) => (
        <Card as="li" key={plan.id} className={styles.service}>
          <ServicePicture src={servicePictureUrl(plan.service)} size={88} />
          <div className={styles.text}>
            <h3>{plan.name}</h3>
            <p className={styles.summary}>{findSummary(plan)}</p>
            <Prices plan={plan} />
          </div>
          <div className={styles.action}>{renderAction(plan)}</div>
        </Card>
      ))}
    </ul>
  );
}

/** The price of the period that starts, and below it the other period's, if it is sold so. */
function Prices({ plan }: { plan: OfferedPlan }) {
  const { otherPeriodAmount } = plan;
  const periodUnit = plan.periodUnit === 'month' ? 'year' : 'month';
  return (
    <p>
      <strong>{formatPrice(plan.amount, plan)}</strong>
      {otherPeriodAmount !== null && (
        <span className={styles.other}>
          {' '}
          or {formatInlinePrice(otherPeriodAmount, { ...plan, periodUnit })}
        </span>
      )}
    </p>
  );
}
