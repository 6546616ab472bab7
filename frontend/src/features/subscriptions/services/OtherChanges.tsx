import { changeLinks } from '@/domain/plans/changeLinks';
import styles from '@/features/subscriptions/shared/subscriptions.module.css';
import type { Plan } from '@/lib/api/types';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { CloseIcon } from '@/ui/icons/CloseIcon';
import { TicketIcon } from '@/ui/icons/TicketIcon';
import { Card } from '@/ui/layout/Card';
import { LinkList } from '@/ui/navigation/LinkList';

const ICONS = {
  upgrade: <CalendarIcon />,
  downgrade: <CalendarIcon />,
  coupon: <TicketIcon />,
  cancel: <CloseIcon />,
};

/** Links to other changes of billing, each only if it is possible; nothing if none is. */
export function OtherChanges({ plans }: { plans: readonly Plan[] }) {
  const links = changeLinks(plans).flatMap(({ change, to, label }) =>
    change === 'pause' ? [] : [{ to, label, icon: ICONS[change] }],
  );
  if (links.length === 0) return null;
  return (
    <Card as="section" labelledBy="other-changes" className={styles.panel}>
      <h2 id="other-changes">Change your billing</h2>
      <LinkList links={links} />
    </Card>
  );
}
