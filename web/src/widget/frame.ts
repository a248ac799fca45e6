/** The entry of the widget's document. */
import './widget.css';
import { DATA_ID, type WidgetData } from './offer';
import { startWidget } from './widget';

const root = document.getElementById('widget');
const data = document.getElementById(DATA_ID)?.textContent;
if (root && data) startWidget(root, JSON.parse(data) as WidgetData);
