/** What a subscriber answered; empty is unanswered. */
export interface Answers {
  reason: string;
  satisfactionLevel: string;
  dailyUsage: string;
}

export const NO_ANSWERS: Answers = { reason: '', satisfactionLevel: '', dailyUsage: '' };

interface Question {
  name: keyof Answers;
  words: string;
  /** As the server takes them, word for word. */
  options: readonly string[];
}

export const QUESTIONS: readonly Question[] = [
  {
    name: 'reason',
    words: 'Why are you leaving?',
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
    words: 'How satisfied were you?',
    options: ['Very satisfied', 'Satisfied', 'Neutral', 'Dissatisfied', 'Very dissatisfied'],
  },
  {
    name: 'dailyUsage',
    words: 'How often did you watch?',
    options: ['Daily', 'Several times a week', 'Once a week', 'A few times a month', 'Rarely'],
  },
];

/** The answers that were given: a question left open is not sent. */
export function given(answers: Answers): Partial<Answers> {
  return Object.fromEntries(Object.entries(answers).filter(([, answer]) => answer !== ''));
}
