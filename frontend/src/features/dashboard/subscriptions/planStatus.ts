import { isEnding, planStatus } from '@/domain/plans/plans';
import type { Plan, PlanStatus } from '@/lib/api/types';
import type { Tone } from '@/ui/display/StatusPill';

interface StatusLabel {
  label: string;
  tone: Tone;
}

export const PLAN_STATUS_LABELS: Record<PlanStatus, StatusLabel> = {
  ACTIVE: { label: 'Active', tone: 'success' },
  IN_TRIAL: { label: 'In trial', tone: 'info' },
  NON_RENEWING: { label: 'Not renewing', tone: 'warning' },
  PAUSED: { label: 'Paused', tone: 'neutral' },
  CANCELLED: { label: 'Canceled', tone: 'neutral' },
};

/** The label of a plan's status. An overdue payment and a scheduled pause or change take precedence. */
export function planStatusLabel(plan: Plan, isOverdue: boolean): StatusLabel {
  if (isOverdue) return { label: 'Payment overdue', tone: 'danger' };
  if (plan.hasScheduledPause) return { label: 'Pause scheduled', tone: 'info' };
  if (plan.hasScheduledChange) return { label: 'Change scheduled', tone: 'info' };
  if (plan.startsAt && !isEnding(plan)) return { label: 'Not started', tone: 'info' };
  return PLAN_STATUS_LABELS[planStatus(plan)];
}
