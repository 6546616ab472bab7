/** A subscriber's answers; empty if unanswered. */
export interface SurveyAnswers {
  reason: string;
  satisfactionLevel: string;
  dailyUsage: string;
}

export const NO_ANSWERS: SurveyAnswers = { reason: '', satisfactionLevel: '', dailyUsage: '' };

interface Question {
  name: keyof SurveyAnswers;
  text: string;
}

export const QUESTIONS: readonly Question[] = [
  { name: 'reason', text: 'Why are you leaving?' },
  { name: 'satisfactionLevel', text: 'How satisfied were you?' },
  { name: 'dailyUsage', text: 'How often did you watch?' },
];

/** The answers without the unanswered questions, which are not sent. */
export function answeredQuestions(answers: SurveyAnswers): Partial<SurveyAnswers> {
  return Object.fromEntries(Object.entries(answers).filter(([, answer]) => answer !== ''));
}
