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
  /** Exactly as the server expects them. */
  options: readonly string[];
}

export const QUESTIONS: readonly Question[] = [
  {
    name: 'reason',
    text: 'Why are you leaving?',
    options: [
      'Content is not interesting',
      'Found a better service',
      'Too expensive',
      'Technical Issues',
      'No longer needed',
    ],
  },
  {
    name: 'satisfactionLevel',
    text: 'How satisfied were you?',
    options: ['Very satisfied', 'Satisfied', 'Neutral', 'Dissatisfied', 'Very dissatisfied'],
  },
  {
    name: 'dailyUsage',
    text: 'How often did you watch?',
    options: ['Daily', 'Several times a week', 'Once a week', 'A few times a month', 'Rarely'],
  },
];

/** The answers without the unanswered questions, which are not sent. */
export function answeredQuestions(answers: SurveyAnswers): Partial<SurveyAnswers> {
  return Object.fromEntries(Object.entries(answers).filter(([, answer]) => answer !== ''));
}
