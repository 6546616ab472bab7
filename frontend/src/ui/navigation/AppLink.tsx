import { createContext, useContext } from 'react';
import { Link, type LinkProps, useHref } from 'react-router-dom';

/** Whether the current page may show a path. */
export const CanShowInPageContext = createContext<(path: string) => boolean>(() => true);

/**
 * A link within the app. If the current page may not show its target, the browser loads a new page.
 */
export function AppLink(props: LinkProps) {
  const canShowInPage = useContext(CanShowInPageContext);
  const path = useHref(props.to, props.relative ? { relative: props.relative } : {});
  return <Link {...props} reloadDocument={!canShowInPage(path)} />;
}
