/** The catalog page begins here. */
import { render } from 'preact';
import { App } from './app.js';
import { applyTheme } from './theme.js';

applyTheme();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
