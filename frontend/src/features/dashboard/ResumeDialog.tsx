import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router-dom';

import { siteOptions } from '@/lib/api/queries';
import type { Plan, ResumeEstimate } from '@/lib/api/types';
import { hasCode, isUnconfirmed, messageOf } from '@/lib/errors';
import { formatCents, formatPrice } from '@/lib/formats';
import { paths } from '@/lib/paths';
import { resumedSentences, toReceipt } from '@/lib/receipts';
import { loadFailure } from '@/lib/screenLoad';
import { useLoader } from '@/stores/loader';
import { notify } from '@/stores/snackbar';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { InfoAlert } from '@/ui/InfoAlert';
import { LegalLinks } from '@/ui/LegalLinks';
import { Skeleton } from '@/ui/Skeleton';
import { ErrorState } from '@/ui/States';
import { MoneyRow, Totals } from '@/ui/Totals';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import { resumeEstimateOptions } from './api';
import styles from './ResumeDialog.module.css';
import { useResume } from './useResume';

interface ResumeDialogProps {
  plan: Plan;
  open: boolean;
  onClose: () => void;
}

/** Shows what resuming now charges, and charges it only when that is confirmed. */
export function ResumeDialog({ plan, open, onClose }: ResumeDialogProps) {
  const estimate = useQuery({ ...resumeEstimateOptions(plan.subId), enabled: open });
  const navigate = useNavigate();
  // Why it takes long: the overlay that says so elsewhere is behind the dialog.
  const note = useLoader(({ message }) => message);
  const resuming = useResume(plan, (plans) => {
    onClose();
    notify(`${plan.name} has been resumed.`);
    const charged = estimate.data?.amountDue ?? 0;
    const sentences = plans.flatMap((resumed) => resumedSentences(resumed, charged));
    void navigate(paths.dashboard, { replace: true, state: toReceipt(sentences, plans) });
  });
  // Figures on their way may differ from those shown before: none are shown until they are there.
  const figures = estimate.isFetching ? undefined : estimate.data;
  const failure = loadFailure(estimate);
  const close = () => {
    if (resuming.isPending) return;
    resuming.reset();
    onClose();
  };
  const buttons = (
    <>
      <Button variant="secondary" onClick={close}>
        Not now
      </Button>
      <Button
        disabled={!figures}
        busy={resuming.isPending}
        onClick={() => figures && resuming.mutate({ subId: plan.subId, quote: figures.quote })}
      >
        {figures && figures.amountDue > 0
          ? `Resume and pay ${formatCents(figures.amountDue)}`
          : 'Resume now'}
      </Button>
    </>
  );
  return (
    <Dialog open={open} title={`Resume ${plan.name} now?`} footer={buttons} onClose={close}>
      {resuming.isError && <ResumeFailure error={resuming.error} />}
      {failure && <ErrorState {...failure} />}
      {!failure && !figures && <FiguresAwaited />}
      {figures && <Figures plan={plan} figures={figures} />}
      <Legal />
      <p role="status" className={styles.note}>
        {resuming.isPending && note}
      </p>
    </Dialog>
  );
}

function ResumeFailure({ error }: { error: Error }) {
  const isNews = hasCode(error, 'quote_changed') || isUnconfirmed(error);
  return <InfoAlert tone={isNews ? 'info' : 'error'}>{messageOf(error)}</InfoAlert>;
}

function FiguresAwaited() {
  return (
    <div role="status">
      <VisuallyHidden>Working out what you will pay…</VisuallyHidden>
      <Skeleton height="6rem" radius="box" />
    </div>
  );
}

function Figures({ plan, figures }: { plan: Plan; figures: ResumeEstimate }) {
  const isCharged = figures.amountDue > 0;
  return (
    <>
      <p>
        {isCharged
          ? `You can watch ${plan.name} again right away, and a new billing period starts today.`
          : `You can watch ${plan.name} again right away. Your paid period is not over yet, so nothing is charged today.`}
      </p>
      <Totals>
        <MoneyRow label="Regular price" amount={formatPrice(plan.amount, plan.periodUnit)} />
        <MoneyRow
          kind="total"
          label="Charged today"
          amount={formatCents(figures.amountDue)}
          note={isCharged ? 'taxes included' : undefined}
        />
      </Totals>
    </>
  );
}

function Legal() {
  const { data: site } = useQuery(siteOptions);
  if (!site) return null;
  return <LegalLinks termsUrl={site.brand.termsUrl} privacyUrl={site.brand.privacyUrl} />;
}
