// The script that the host runs in a shared page: it passes on the selection, or else the first heading, and shows the
// translation when the extension has finished.
var TranslatePage = function () {};

TranslatePage.prototype = {
    element: function () { return document.querySelector("h1, h2, p"); },
    run: function (parameters) {
        var selected = window.getSelection().toString();
        var element = this.element();
        parameters.completionFunction({
            "baseURI": document.baseURI,
            "selection": selected || (element ? element.textContent : "")
        });
    },
    finalize: function (parameters) {
        var element = this.element();
        if (element) element.textContent = parameters["translation"];
        document.body.style.backgroundColor = parameters["bgColor"];
    }
};

var ExtensionPreprocessingJS = new TranslatePage();
