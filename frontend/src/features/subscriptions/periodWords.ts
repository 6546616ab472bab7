import type { Plan, Preview } from '@/lib/api/types';
import { formatCents, formatDate } from '@/lib/formats';
import { isInTrial, namesOf, type PeriodAction, planNotes } from '@/lib/plans';

/** The billing periods as they are said. */
export const BILLED: Record<PeriodAction, string> = { upgrade: 'annually', downgrade: 'monthly' };

/** What becomes of the chosen plans, in a sentence for each time at which it does. */
export function willSentences(action: PeriodAction, chosen: readonly Plan[]): string[] {
  const starts = [...new Set(chosen.map((plan) => startOf(action, plan)))];
  return starts.map((start) => {
    const plans = chosen.filter((plan) => startOf(action, plan) === start);
    return `${namesOf(plans)} will be billed ${BILLED[action]} ${start}.`;
  });
}

function startOf(action: PeriodAction, plan: Plan): string {
  const on = plan.nextBillingAt && formatDate(plan.nextBillingAt);
  if (isInTrial(plan)) return on ? `once the trial is over, on ${on}` : 'once the trial is over';
  if (action === 'upgrade') return 'from today on';
  return on
    ? `from ${on} on; until then nothing changes`
    : 'from the end of the year you have paid for';
}

/** When the new price begins, where that is not at once. */
export function startsFrom(
  action: PeriodAction,
  chosen: readonly Plan[],
  { effectiveAt }: Preview,
): string | undefined {
  if (chosen.every(isInTrial)) return 'once your trial is over';
  return action === 'downgrade' && effectiveAt ? `starting ${formatDate(effectiveAt)}` : undefined;
}

/** What was done, in sentences. */
export function didSentences(action: PeriodAction, chosen: readonly Plan[]): string[] {
  if (action === 'downgrade') return willSentences(action, chosen);
  const now = chosen.filter((plan) => !isInTrial(plan));
  const later = willSentences(action, chosen.filter(isInTrial));
  if (now.length === 0) return later;
  return [`${namesOf(now)} ${now.length === 1 ? 'is' : 'are'} now billed annually.`, ...later];
}

/** The words of the button that makes the change. */
export function periodConfirmWords(action: PeriodAction, preview: Preview | undefined): string {
  if (action === 'downgrade') return 'YES, DOWNGRADE';
  return preview && preview.dueNow > 0
    ? `YES, UPGRADE AND PAY ${formatCents(preview.dueNow)}`
    : 'YES, UPGRADE';
}

/** Why a plan is not among those whose period can be changed now, in a sentence. */
export function whyNot(action: PeriodAction, plan: Plan): string {
  const already = action === 'upgrade' ? 'year' : 'month';
  const [note] = planNotes(plan);
  if (note) return note;
  if (plan.periodUnit === already) return `${plan.name} is already billed ${BILLED[action]}.`;
  return `${plan.name} stays as it is.`;
}
