import { useLocation, useNavigate } from 'react-router-dom';

import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { receiptIn } from '@/lib/receipts';
import { Dated } from '@/ui/Dated';
import { InfoAlert } from '@/ui/InfoAlert';
import styles from './Panel.module.css';

/** What was done last, from when, what it cost and how to undo it, until dismissed or no longer so. */
export function Receipt({ plans }: { plans: readonly Plan[] }) {
  const { state } = useLocation();
  const navigate = useNavigate();
  const sentences = receiptIn(state, plans);
  if (sentences.length === 0) return null;
  const dismiss = () => {
    void navigate(paths.dashboard, { replace: true });
    document.querySelector('h1')?.focus();
  };
  return (
    <InfoAlert tone="success" onDismiss={dismiss}>
      <div className={styles.sentences}>
        {sentences.map((sentence) => (
          <p key={sentence}>
            <Dated>{sentence}</Dated>
          </p>
        ))}
      </div>
    </InfoAlert>
  );
}
