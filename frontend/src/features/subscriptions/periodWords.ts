import type { Plan, Preview } from '@/lib/api/types';
import { formatCents, formatDate } from '@/lib/formats';
import { namesOf, type PeriodAction, planNotes, statusOf } from '@/lib/plans';

/** The billing periods as they are said. */
export const BILLED: Record<PeriodAction, string> = { upgrade: 'annually', downgrade: 'monthly' };

/** What becomes of each chosen plan, and when, in a sentence each. */
export function willSentences(action: PeriodAction, chosen: readonly Plan[]): string[] {
  if (action === 'upgrade') return [`${namesOf(chosen)} will be billed annually, starting today.`];
  return chosen.map((plan) => `${plan.name} will be billed monthly ${startOf(plan)}.`);
}

function startOf(plan: Plan): string {
  const on = plan.nextBillingAt && formatDate(plan.nextBillingAt);
  if (statusOf(plan) === 'IN_TRIAL')
    return on ? `once its trial is over, on ${on}` : 'after its trial';
  return on
    ? `from ${on} on; until then nothing changes`
    : 'from the end of the year you have paid for';
}

/** When the new price begins, where that is not at once. */
export function startsFrom(action: PeriodAction, preview: Preview): string | undefined {
  if (action === 'upgrade') return undefined;
  if (preview.isImmediate) return 'once your trial is over';
  return preview.effectiveAt ? `starting ${formatDate(preview.effectiveAt)}` : undefined;
}

/** What was done, in sentences. */
export function didSentences(action: PeriodAction, chosen: readonly Plan[]): string[] {
  if (action === 'downgrade') return willSentences(action, chosen);
  return [`${namesOf(chosen)} ${chosen.length === 1 ? 'is' : 'are'} now billed annually.`];
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
