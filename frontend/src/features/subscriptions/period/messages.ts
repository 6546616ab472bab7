import type { DeclinedCharge } from '@/domain/payments/declinedCharge';
import {
  billsBeforeEnd,
  formatPlanNames,
  isEnding,
  isInTrial,
  isPaused,
  onlyCancelableSentence,
  type PeriodAction,
  scheduledChangeSentence,
} from '@/domain/plans/plans';
import type { PeriodEstimate, PeriodUnit, Plan } from '@/lib/api/types';
import { formatCents, formatDate } from '@/lib/formats';

/** The adverb for each billing period. */
const BILLING_ADVERBS: Record<PeriodAction, string> = {
  upgrade: 'annually',
  downgrade: 'monthly',
};

/** The billing period after each change. */
export const NEW_PERIOD: Record<PeriodAction, PeriodUnit> = { upgrade: 'year', downgrade: 'month' };

/** The adjective for each billing period. */
export const BILLING_ADJECTIVES: Record<PeriodAction, string> = {
  upgrade: 'annual',
  downgrade: 'monthly',
};

/** Sentences about the chosen plans, one for each start date. */
export function plannedSentences(action: PeriodAction, chosen: readonly Plan[]): string[] {
  const starts = [...new Set(chosen.map((plan) => startPhrase(action, plan)))];
  return starts.map((start) => {
    const plans = chosen.filter((plan) => startPhrase(action, plan) === start);
    const verb = plans.length === 1 ? 'switches' : 'switch';
    return `${formatPlanNames(plans)} ${verb} to ${BILLING_ADJECTIVES[action]} billing ${start}.`;
  });
}

function startPhrase(action: PeriodAction, plan: Plan): string {
  const on = plan.nextBillingAt && formatDate(plan.nextBillingAt);
  if (plan.startsAt) return `when it starts on ${formatDate(plan.startsAt)}`;
  if (isInTrial(plan)) return on ? `when the trial ends on ${on}` : 'when the trial ends';
  if (action === 'upgrade') return 'today';
  return on ? `on ${on}. Nothing changes until then` : 'at the end of the year you’ve paid for';
}

/** Sentences about what was done. */
export function periodDoneSentences(action: PeriodAction, chosen: readonly Plan[]): string[] {
  if (action === 'downgrade') return plannedSentences(action, chosen);
  const changedNow = chosen.filter((plan) => !isInTrial(plan));
  const later = plannedSentences(action, chosen.filter(isInTrial));
  if (changedNow.length === 0) return later;
  return [
    `${formatPlanNames(changedNow)} ${changedNow.length === 1 ? 'is' : 'are'} now billed annually.`,
    ...later,
  ];
}

/** The label of the confirm button. */
export function periodConfirmLabel(
  action: PeriodAction,
  preview: PeriodEstimate | undefined,
): string {
  if (action === 'downgrade') return 'YES, DOWNGRADE';
  return preview && preview.dueNow > 0
    ? `YES, UPGRADE AND PAY ${formatCents(preview.dueNow, preview.dueCurrencyCode)}`
    : 'YES, UPGRADE';
}

/** A sentence about why a plan's billing period cannot be changed now. */
export function unchangeableReason(action: PeriodAction, plan: Plan): string {
  if (!plan.isChangeable) return onlyCancelableSentence(plan);
  if (plan.periodUnit === NEW_PERIOD[action]) {
    return `${plan.name} is already billed ${BILLING_ADVERBS[action]}.`;
  }
  if (plan.scheduledPlan) return scheduledChangeSentence(plan.name, plan.scheduledPlan);
  return `${plan.name} ${obstacle(action, plan)}.`;
}

function obstacle(action: PeriodAction, plan: Plan): string {
  const again = 'You can switch it once it’s active again';
  if (billsBeforeEnd(plan)) return `is set to end ${datePhrase(plan.cancelAt)}`;
  if (isEnding(plan)) return `already ends ${datePhrase(plan.cancelAt)}`;
  if (isPaused(plan)) return `is paused. ${again}`;
  if (plan.hasScheduledPause) return `pauses ${datePhrase(plan.pauseDate)}. ${again}`;
  return `isn’t available with ${BILLING_ADJECTIVES[action]} billing`;
}

function datePhrase(date: string | null): string {
  return date ? `on ${formatDate(date)}` : 'at the end of your billing cycle';
}

/** What the bank can be asked to confirm; null if nothing is charged. */
export function upgradeCharge(
  action: PeriodAction,
  { charges, dueCurrencyCode, quote }: PeriodEstimate,
  planIds: readonly string[],
): DeclinedCharge | null {
  if (action !== 'upgrade' || charges.length === 0) return null;
  return {
    path: '/api/account/upgrade',
    body: { planIds, quote },
    amounts: charges,
    currencyCode: dueCurrencyCode,
    doneMessage: 'You’re on annual billing now.',
  };
}
