import { Card } from '@/ui/Card';
import { SelectField } from '@/ui/SelectField';
import styles from './Survey.module.css';
import { QUESTIONS, type SurveyAnswers } from './surveyQuestions';

interface SurveyProps {
  answers: SurveyAnswers;
  onChange: (answers: SurveyAnswers) => void;
}

/** Three optional questions. */
export function Survey({ answers, onChange }: SurveyProps) {
  return (
    <Card as="section" labelledBy="survey" className={styles.card}>
      <div>
        <h2 id="survey">Help us do better</h2>
        <p className={styles.hint}>Three quick questions, all optional.</p>
      </div>
      <div className={styles.questions}>
        {QUESTIONS.map(({ name, text, options }) => (
          <SelectField
            key={name}
            label={text}
            value={answers[name]}
            onChange={(event) => onChange({ ...answers, [name]: event.target.value })}
          >
            <option value="">No answer</option>
            {options.map((option) => (
              <option key={option}>{option}</option>
            ))}
          </SelectField>
        ))}
      </div>
    </Card>
  );
}
