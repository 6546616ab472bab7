import type { Plan, PlanStatus } from '@/lib/api/types';
import { statusOf } from '@/lib/plans';
import type { Tone } from '@/ui/StatusPill';

interface Words {
  words: string;
  tone: Tone;
}

const WORDS: Record<PlanStatus, Words> = {
  ACTIVE: { words: 'Active', tone: 'success' },
  IN_TRIAL: { words: 'In trial', tone: 'info' },
  NON_RENEWING: { words: 'Not renewing', tone: 'warning' },
  PAUSED: { words: 'Paused', tone: 'neutral' },
  CANCELLED: { words: 'Cancelled', tone: 'neutral' },
};

/** A plan's state in a word or two; what is scheduled is the first thing to know of it. */
export function planStatus(plan: Plan): Words {
  if (plan.hasScheduledPause) return { words: 'Pause scheduled', tone: 'info' };
  if (plan.hasScheduledChange) return { words: 'Change scheduled', tone: 'info' };
  return WORDS[statusOf(plan)];
}
