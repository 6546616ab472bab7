import { useLocation, useNavigate } from 'react-router-dom';
import { plansOfReceipt, readReceipt } from '@/domain/changes/receipts';
import { UndoAllButton } from '@/domain/changes/UndoAllButton';
import { useReportUndone } from '@/domain/changes/useReportUndone';
import styles from '@/features/dashboard/panels/Panel.module.css';
import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { focusHeading } from '@/ui/focusHeading';
import { UnbrokenDates } from '@/ui/text/UnbrokenDates';

/** The receipt of the last change, until it is dismissed or out of date. */
export function ReceiptNotice({ plans }: { plans: readonly Plan[] }) {
  const { state } = useLocation();
  const navigate = useNavigate();
  const onUndone = useReportUndone(paths.dashboard);
  const sentences = readReceipt(state, plans);
  if (sentences.length === 0) return null;
  const dismiss = () => {
    void navigate(paths.dashboard, { replace: true });
    focusHeading();
  };
  return (
    <InfoAlert tone="success" onDismiss={dismiss}>
      <div className={styles.sentences}>
        {sentences.map((sentence) => (
          <p key={sentence}>
            <UnbrokenDates>{sentence}</UnbrokenDates>
          </p>
        ))}
        <UndoAllButton plans={plansOfReceipt(state, plans)} onUndone={onUndone} />
      </div>
    </InfoAlert>
  );
}
