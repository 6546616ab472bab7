import { SelectField } from '@/ui/forms/SelectField';
import { Card } from '@/ui/layout/Card';
import styles from './Survey.module.css';
import { QUESTIONS, type SurveyAnswers } from './surveyQuestions';

interface SurveyProps {
  /** The answers that each question offers; undefined while they load. */
  options: Record<keyof SurveyAnswers, readonly string[]> | undefined;
  answers: SurveyAnswers;
  onChange: (answers: SurveyAnswers) => void;
}

/** Three optional questions. */
export function Survey({ options, answers, onChange }: SurveyProps) {
  return (
    <Card as="section" labelledBy="survey" className={styles.card}>
      <div>
        <h2 id="survey">Help us do better</h2>
        <p className={styles.hint}>Three quick questions, all optional.</p>
      </div>
      <div className={styles.questions}>
        {QUESTIONS.map(({ name, text }) => (
          <SelectField
            key={name}
            label={text}
            value={answers[name]}
            onChange={(event) => onChange({ ...answers, [name]: event.target.value })}
          >
            <option value="">No answer</option>
            {withAnswer(options?.[name] ?? [], answers[name]).map((option) => (
              <option key={option}>{option}</option>
            ))}
          </SelectField>
        ))}
      </div>
    </Card>
  );
}

/** The options, with an answer that was kept from before it was taken away. */
function withAnswer(options: readonly string[], answer: string): readonly string[] {
  return answer === '' || options.includes(answer) ? options : [...options, answer];
}
