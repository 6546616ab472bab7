import { ButtonAnchor } from '@/ui/buttons/Button';
import styles from './StartStreaming.module.css';

interface Streamable {
  id: string;
  name: string;
  /** Empty if the service has no site; then it has no button. */
  streamUrl: string;
}

interface StartStreamingProps {
  services: readonly Streamable[];
  /** Uses secondary buttons, because the screen has another main action. */
  quiet?: boolean | undefined;
}

/** A button per service that opens its site in a new tab. */
export function StartStreaming({ services, quiet = false }: StartStreamingProps) {
  const reachable = services.filter(({ streamUrl }) => streamUrl);
  if (reachable.length === 0) return null;
  return (
    <ul aria-label="Start streaming" className={styles.buttons}>
      {reachable.map(({ id, name, streamUrl }) => (
        <li key={id}>
          <ButtonAnchor variant={quiet ? 'secondary' : 'primary'} href={streamUrl} newTab block>
            Start streaming {name}
          </ButtonAnchor>
        </li>
      ))}
    </ul>
  );
}
