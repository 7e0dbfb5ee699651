import DefaultTheme from "vitepress/theme";
import LiveExample from "./LiveExample.vue";
import ViewerExample from "./ViewerExample.vue";
import "./style.css";

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("LiveExample", LiveExample);
    app.component("ViewerExample", ViewerExample);
  },
};
