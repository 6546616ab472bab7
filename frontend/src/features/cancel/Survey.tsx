import { Card } from '@/ui/Card';
import { SelectField } from '@/ui/SelectField';
import styles from './Survey.module.css';
import { type Answers, QUESTIONS } from './survey';

interface SurveyProps {
  answers: Answers;
  onChange: (answers: Answers) => void;
}

/** Three questions, none of which has to be answered. */
export function Survey({ answers, onChange }: SurveyProps) {
  return (
    <Card as="section" labelledBy="survey" className={styles.card}>
      <div>
        <h2 id="survey">Help us do better</h2>
        <p className={styles.hint}>Three short questions. You can leave any of them open.</p>
      </div>
      <div className={styles.questions}>
        {QUESTIONS.map(({ name, words, options }) => (
          <SelectField
            key={name}
            label={words}
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
