/** The entry point of the workflow page, at the step that the document names. */
import { render } from 'preact';
import { applyTheme } from '../../footbridge/page/theme.js';
import { App } from './app.js';
import { STEPS } from './workflow/state.js';

applyTheme();
const root = document.getElementById('app');
if (root !== null) {
  const step = STEPS.find((name) => name === root.dataset['step']) ?? STEPS[0];
  render(<App first={step} />, root);
}
