/** Entry point of the catalog page. */
import { render } from 'preact';
import { App } from './app.js';
import { applyTheme } from './theme.js';

applyTheme();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
